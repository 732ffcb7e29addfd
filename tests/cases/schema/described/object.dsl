// A person as the text describes them.
{
  name: str<1,80>, // the full name
  age: int<0,120>? = null, // in years
  mood: "good" | "bad",
  nick?: str,
  tags: [str<1,20>]<1,5> { unique: true },
  position?: [float<-90,90>, float<-180,180>],
  // as the text has it,
  // or today
  born: date,
  friends: [{ name: str, since: int | date }],
}
