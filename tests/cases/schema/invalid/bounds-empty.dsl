int<>
