import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { itemwise, spreadItems } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { passed, required } from '../text-steps.ts';

/** Nodes for exercises and trials: customers that are made up, random data, errors. */

/** The customers of the original's course. */
const CUSTOMERS = [
  {
    id: '23423532',
    name: 'Jay Gatsby',
    email: 'gatsby@west-egg.com',
    notes: 'Keeps asking about a green light??',
    country: 'US',
    created: '1925-04-10',
  },
  {
    id: '23423533',
    name: 'José Arcadio Buendía',
    email: 'jab@macondo.co',
    notes: 'Lots of people named after him. Very confusing',
    country: 'CO',
    created: '1967-05-05',
  },
  {
    id: '23423534',
    name: 'Max Sendak',
    email: 'info@in-and-out-of-weeks.org',
    notes: 'Keeps rolling his terrible eyes',
    country: 'US',
    created: '1963-04-09',
  },
  {
    id: '23423535',
    name: 'Zaphod Beeblebrox',
    email: 'captain@heartofgold.com',
    notes: 'Felt like I was talking to more than one person',
    country: null,
    created: '1979-10-12',
  },
  {
    id: '23423536',
    name: 'Edmund Pevensie',
    email: 'edmund@narnia.gov',
    notes: 'Passionate sailor',
    country: 'UK',
    created: '1950-10-16',
  },
];

function customers(context: Context): Given {
  const { params } = context;
  const input = required(context);
  const isList = params.text('operation') === 'getAllPeople';
  const limit = params.flag('returnAll') ? CUSTOMERS.length : (params.number('limit') ?? 5);
  const value = isList ? CUSTOMERS.slice(0, limit) : CUSTOMERS[0];
  const id = itemwise(context, input, { operator: 'core.map', params: { value } });
  if (!isList) return passed(context, input, id);
  return gives(spreadItems(context, context.port(id, 'out', { card: input.card }), input.card));
}

function debugHelper(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const category = params.text('category') ?? 'throwError';
  if (category === 'doNothing') {
    const id = context.add(step.name, { operator: 'core.map', params: { value: '{{ [] }}' } });
    context.wire(input, `${id}.in`);
    return gives(context.port(id, 'out', { card: 'many', mayBeEmpty: true }));
  }
  if (category === 'throwError') return thrown(context);
  if (category !== 'randomData') throw new NotHere(`it does “${category}”`, ['code.run']);
  return random(context);
}

function thrown(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  params.skip('throwErrorType');
  const text = context.text(
    params.get('throwErrorMessage') ?? 'Node has thrown an error',
    context.reads(input),
  );
  const message = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: text } },
    { hint: `${step.name} message` },
  );
  const id = itemwise(context, context.port(message, 'out', { card: input.card }), {
    operator: 'code.run',
    params: { source: 'throw new Error(String(input));' },
  });
  return passed(context, input, id);
}

/** Words of which names and addresses are made. */
const RANDOM = `const pick = (list) => list[Math.floor(Math.random() * list.length)];
const number = (from, to) => from + Math.floor(Math.random() * (to - from + 1));
const digits = (count) => Array.from({ length: count }, () => number(0, 9)).join('');
const hex = (count) => Array.from({ length: count }, () => number(0, 15).toString(16)).join('');
const text = (count, signs) => Array.from({ length: count }, () => pick([...signs])).join('');
const first = () => pick(['Ada', 'Alan', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Frances', 'John', 'Katherine', 'Tim']);
const last = () => pick(['Lovelace', 'Turing', 'Hopper', 'Dijkstra', 'Liskov', 'Knuth', 'Allen', 'Backus', 'Johnson', 'Lee']);
const host = () => pick(['example.com', 'example.net', 'example.org']);
const email = () => first().toLowerCase() + number(1, 999) + '@' + host();
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const kinds = {
  user: () => ({ uid: crypto.randomUUID(), email: email(), firstname: first(), lastname: last(), password: text(12, LETTERS) }),
  email: () => ({ email: email(), confirmed: Math.random() < 0.5 }),
  address: () => ({ firstname: first(), lastname: last(), street: number(1, 999) + ' ' + pick(['Oak', 'Hill', 'Lake', 'Park']) + ' Street', city: pick(['Springfield', 'Riverside', 'Franklin', 'Greenville']), zip: digits(5), state: pick(['Ohio', 'Texas', 'Oregon', 'Maine']), country: pick(['United States', 'Canada', 'Ireland', 'Norway']) }),
  uuid: () => ({ uuid: crypto.randomUUID() }),
  nanoid: () => ({ nanoId: text(length, alphabet) }),
  creditCard: () => ({ type: pick(['MasterCard', 'Visa']), number: digits(16), ccv: digits(3), exp: String(number(1, 12)).padStart(2, '0') + '/' + String(number(1, 40)).padStart(2, '0'), holder_name: first() + ' ' + last() }),
  url: () => ({ url: 'https://' + text(8, LETTERS) + '.' + host() }),
  ipv4: () => ({ ip: [1, 2, 3, 4].map(() => number(0, 255)).join('.') }),
  ipv6: () => ({ ipv6: Array.from({ length: 8 }, () => hex(4)).join(':') }),
  macAddress: () => ({ mac: Array.from({ length: 6 }, () => hex(2)).join(':') }),
  latLong: () => ({ location: (Math.random() * 180 - 90).toFixed(6) + ', ' + (Math.random() * 360 - 180).toFixed(6) }),
  semver: () => ({ version: [number(0, 9), number(0, 9), number(0, 9)].join('.') }),
};`;

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DATA_KINDS = [
  'user',
  'email',
  'address',
  'uuid',
  'nanoid',
  'creditCard',
  'url',
  'ipv4',
  'ipv6',
  'macAddress',
  'latLong',
  'semver',
];

function random(context: Context): Given {
  const { params } = context;
  const input = required(context);
  const kind = params.text('randomDataType') ?? 'user';
  if (!DATA_KINDS.includes(kind)) throw new NotHere(`it makes data of the kind “${kind}”`, ['code.run']);
  const count = Math.max(0, Math.min(params.number('randomDataCount') ?? 10, 10_000));
  const isOne = params.flag('randomDataSingleArray');
  const seed = params.text('randomDataSeed');
  if (seed !== undefined)
    context.changed('setting', 'It gave the same data each time; here it is other data.', {
      before: seed,
      lost: true,
    });
  const settings = [
    `const length = ${Number(params.get('nanoidLength') ?? 16) || 16};`,
    `const alphabet = ${JSON.stringify(params.text('nanoidAlphabet') ?? ALPHABET)};`,
  ];
  const made = `Array.from({ length: ${count} }, () => kinds.${kind}())`;
  const id = itemwise(context, input, {
    operator: 'code.run',
    params: {
      source: [
        ...(kind === 'nanoid' ? settings : []),
        RANDOM,
        `return ${isOne ? `{ generatedItems: ${made} }` : made};`,
      ].join('\n'),
    },
  });
  if (isOne) return passed(context, input, id);
  return gives(spreadItems(context, context.port(id, 'out', { card: input.card }), input.card));
}

export const sampleEntries: readonly Entry[] = [
  {
    kind: 'n8nTrainingCustomerDatastore',
    word: 'equal',
    becomes: '`core.map` with the five customers',
    convert: customers,
  },
  {
    kind: 'debugHelper',
    word: 'close',
    becomes: '`code.run`, `core.map`',
    difference:
      'Random data has the same fields with other values, and no seed; using up the memory is a placeholder.',
    convert: debugHelper,
  },
];
