{ a：int }
