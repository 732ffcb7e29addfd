{
  a: date,
  b: time,
  c: datetime,
  d: duration,
  e: email,
  f: uri,
  g: uuid,
  h: ipv4,
  i: ipv6,
}
