import { expect, test } from 'vitest';
import type { ServiceInfo } from '#shared/service-api.ts';
import { foundIn } from './found-in.ts';

const service = (id: string, calls: ServiceInfo['calls']): ServiceInfo =>
  ({ id, title: id.toUpperCase(), doc: '', calls, triggers: [] }) as unknown as ServiceInfo;

const all = [
  service('mail', [{ type: 'mail.send', title: 'Send', doc: 'Sends a letter.', synonyms: 'write, notify' }]),
  service('sheets', [
    { type: 'sheets.read', title: 'Read rows', doc: 'Reads rows.' },
    { type: 'sheets.add', title: 'Add rows', doc: 'Adds rows at the end.' },
  ]),
];

const found = (words: string) => foundIn(all, words).map(({ service: { id }, calls }) => [id, calls.length]);

test('services are found by what their calls do, in other words too', () => {
  expect(found('')).toEqual([
    ['mail', 1],
    ['sheets', 2],
  ]);
  expect(found('NOTIFY')).toEqual([['mail', 1]]);
  expect(found('add rows')).toEqual([['sheets', 1]]);
  expect(found('sheets')).toEqual([['sheets', 2]]);
  expect(found('sheets add')).toEqual([['sheets', 1]]);
  expect(found('fly')).toEqual([]);
});
