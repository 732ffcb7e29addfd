the schema DSL cannot express `A`: no value of it can be complete
