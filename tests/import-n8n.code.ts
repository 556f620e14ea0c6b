import { all, hook, js, list, type N8nCase, set, three, when } from './import-n8n.cases.ts';

/** Code that uses what n8n gives to it: Luxon, modules, other nodes. Dates are those that Luxon 3 gives for the same calls. */
const timezone = { more: { settings: { timezone: 'Europe/Berlin' } } };

export const codeCases: Readonly<Record<string, N8nCase>> = {
  code_has_dates_of_luxon: {
    nodes: {
      W: hook(),
      Code: js(`const at = DateTime.fromISO($input.first().json.body.at);
return [{ json: {
  at,
  local: at.toFormat("cccc, d LLLL yyyy 'at' HH:mm ZZ"),
  end: at.endOf('month').toISO(),
  next: at.plus({ months: 1, days: 2 }).toISODate(),
  night: at.setZone('America/New_York').toFormat('h:mm a'),
  week: at.startOf('week').toSQL(),
  days: Math.floor(at.diff(DateTime.fromISO('2023-12-25'), 'days').days),
  parts: at.diff(DateTime.fromISO('2023-01-31T12:00'), ['months', 'days', 'hours']).toObject(),
  read: DateTime.fromFormat('7/8/2024 5:06 PM', 'M/d/yyyy h:mm a').toMillis(),
  bad: DateTime.fromISO('tomorrow').isValid,
  spring: DateTime.fromISO('2024-03-31T01:30').plus({ hours: 1 }).toISO(),
  is: [$now.year > 2000, $today.hour, DateTime.isDateTime($now), $now > $today],
} }];`),
    },
    ...timezone,
    wires: ['W > Code'],
    answers: [
      [
        { at: '2024-02-29T22:15:00Z' },
        {
          at: '2024-02-29T23:15:00.000+01:00',
          local: 'Thursday, 29 February 2024 at 23:15 +01:00',
          end: '2024-02-29T23:59:59.999+01:00',
          next: '2024-03-31',
          night: '5:15 PM',
          week: '2024-02-26 00:00:00.000 +01:00',
          days: 66,
          parts: { months: 13, days: 0, hours: 11.25 },
          read: 1720451160000,
          bad: false,
          spring: '2024-03-31T03:30:00.000+02:00',
          is: [true, 0, true, true],
        },
      ],
    ],
  },
  code_requires_luxon_and_crypto: {
    nodes: {
      W: hook(),
      Code: js(`const { DateTime } = require('luxon');
const crypto = require('crypto');
const { text } = $json.body;
return [{ json: {
  day: DateTime.fromISO('2024-05-06', { zone: 'utc' }).weekdayLong,
  md5: crypto.createHash('md5').update(text).digest('hex'),
  sha1: crypto.createHash('sha1').update(text, 'utf8').digest('base64'),
  sha256: crypto.createHash('sha256').update('a').update('bc').digest('hex'),
  mac: crypto.createHmac('sha256', 'key').update(text).digest('hex'),
  random: [crypto.randomBytes(16).toString('hex').length, crypto.randomUUID().length],
} }];`),
    },
    ...timezone,
    wires: ['W > Code'],
    answers: [
      [
        { text: 'The quick brown fox jumps over the lazy dog' },
        {
          day: 'Monday',
          md5: '9e107d9d372bb6826bd81d3542a419d6',
          sha1: 'L9ThxnotKPzthJ7hu3bnORuT6xI=',
          sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
          mac: 'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
          random: [32, 36],
        },
      ],
    ],
  },
  code_that_runs_once_has_the_first_item_of_another_node: {
    nodes: {
      W: hook(),
      List: list,
      If: ['if@2', when('={{ $json.n }}', 'gte', 5)],
      Set: set({ big: '={{ $json.n }}' }),
      Code: js(
        "return [{ json: { n: $('List').item.json.n, all: $('List').all().length, got: items.length } }];",
      ),
    },
    wires: ['W > List', 'List > If', 'If > Set', 'Set > Code'],
    answers: [[three, { n: 5, all: 3, got: 2 }]],
  },
  dates_in_expressions_that_only_code_can_say: {
    nodes: {
      W: hook(all),
      List: list,
      Set: set({
        at: "={{ (() => { const at = DateTime.fromISO($json.at); return at.plus({ days: $json.n }).toFormat('dd.MM.yyyy'); })() }}",
      }),
    },
    ...timezone,
    wires: ['W > List', 'List > Set'],
    answers: [
      [
        {
          list: [
            { at: '2024-02-28', n: 1 },
            { at: '2024-12-31', n: 2 },
          ],
        },
        [{ at: '29.02.2024' }, { at: '02.01.2025' }],
      ],
    ],
  },
  names_of_nothing_are_empty: {
    nodes: {
      W: hook(),
      Set: set({
        dear: '=Dear {{ NAME }}!',
        key: '=[{{ $credentials.api.key }}]',
        or: '=[{{ FOO || "d" }}]',
        field: '=[{{ FOO.x || "d" }}]',
        sum: '=[{{ "x" + FOO }}]',
        fails: '=[{{ JSON.parse($json.body.t, null) }}]',
        ids: '=[{{ $json.body.list.reduce((all, { id }) => all + id, "") }}]',
      }),
    },
    wires: ['W > Set'],
    answers: [
      [
        { t: 'x', list: [{ id: 3 }, { id: 4 }] },
        {
          dear: 'Dear !',
          key: '[]',
          or: '[d]',
          field: '[]',
          sum: '[xundefined]',
          fails: '[]',
          ids: '[34]',
        },
      ],
    ],
  },
};
