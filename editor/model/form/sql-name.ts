/** Words that are no names in one database or another. */
const RESERVED = new Set(
  `all alter analyse analyze and any array as asc between both by case cast check collate column condition constraint
  create cross current_date current_time current_timestamp current_user database default delete desc describe distinct
  do drop else end except exists explain false fetch for foreign from full function grant group groups having if in index
  inner insert intersect interval into is join key keys lateral leading left like limit lock match natural not null of
  offset on only option or order outer over partition placing primary procedure range rank read recursive references
  release rename replace returning revoke right row rows schema select session_user set some symmetric system table
  tables then to trailing trigger true union unique update usage user using values variadic view when where window with
  write`.split(/\s+/),
);

/** A name as a statement takes it: plain lower-case names stay as they are. */
export function sqlName(name: string, quote: '"' | '`'): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)) return name;
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}
