{
  first_name: str<1,100>,
  last_name: str<1,100>,
  email: email,
  phone?: str,
  birthday?: date,
  tags: [str]<,20>,
}
