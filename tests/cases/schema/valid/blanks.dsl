{ a	:　int ,

}


