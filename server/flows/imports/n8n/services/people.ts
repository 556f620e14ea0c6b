/** People of Google Contacts. */

const FIELDS =
  'addresses,biographies,birthdays,coverPhotos,emailAddresses,events,genders,imClients,interests,locales,memberships,metadata,names,nicknames,occupations,organizations,phoneNumbers,photos,relations,residences,sipAddresses,skills,urls,userDefined';

/** Fields that are asked for, of which a star is all, as an expression. */
export const maskOf = (list: string): string =>
  `(${list}.includes("*") ? ${JSON.stringify(FIELDS)} : join(${list}, ","))`;

export const peopleMask = (fields: string): string => `{{ ${maskOf(`[${fields}].flat()`)} }}`;

/** A date in pieces. */
const dated = (date: string): string => `[${date}?.month, ${date}?.day, ${date}?.year].join("/")`;

/** Fields by their names, each with what n8n makes of it. */
const ONES: readonly (readonly [names: readonly string[], made: string])[] = [
  [['names'], 'omit(pair[1][0], "metadata")'],
  [['photos'], 'pair[1].map(one => one?.url)'],
  [['memberships'], 'pair[1].map(one => one?.metadata?.source?.id)'],
  [['birthdays'], dated('pair[1][0]?.date')],
  [['userDefined', 'organizations', 'biographies'], 'pair[1].map(one => omit(one, "metadata"))'],
  [['emailAddresses', 'phoneNumbers'], byType('one?.value')],
  [['relations'], byType('one?.person')],
  [['events'], byType(dated('one?.date'))],
  [['addresses'], byType('omit(one, "metadata", "type")')],
];

/** Values in lists by their type. */
function byType(made: string): string {
  return `fromEntries(unique(pair[1].map(one => one?.type)).map(type => [type ?? "undefined", pair[1].filter(one => one?.type == type).map(one => ${made})]))`;
}

const VALUE = ONES.reduceRight(
  (otherwise, [names, made]) => `${JSON.stringify(names)}.includes(pair[0]) ? ${made} : ${otherwise}`,
  'pair[1]',
);

/** The person `person` as n8n simplifies it, unless it is asked for as it is. */
export const PERSON = `{ ...(string({{rawData??}}) == "true" ? person : fromEntries(entries(omit(person, "metadata")).map(pair => [pair[0], ${VALUE}]))), contactId: last(split(person.resourceName, "/")) }`;
