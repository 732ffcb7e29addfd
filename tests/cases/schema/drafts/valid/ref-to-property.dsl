{ first?: { zip?: str<5>, [str]: any }, second?: First, [str]: any }
First = { zip?: str<5>, [str]: any }
