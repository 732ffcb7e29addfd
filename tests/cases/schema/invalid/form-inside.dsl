{ a: yesno, b: [code], c?: tasklist }
