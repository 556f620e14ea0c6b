import { expect, test } from 'vitest';
import { tellingWords } from './everyday-words.ts';

test.each([
  ['How long does the tea steep', 'long tea steep'],
  ['What hat sizes are there', 'hat sizes'],
  ['Was hat der Hut für eine Größe', 'Hut Größe'],
  ['Combien de jours est-ce que son contrat dure', 'Combien jours contrat dure'],
  ['Who pays for IT and for the WHO', 'pays IT WHO'],
  ['WHO PAYS FOR IT', 'PAYS'],
  ['what is it', ''],
  ['err-42', 'err 42'],
])('telling words of: %s', (question, telling) => {
  const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
  expect(tellingWords(words).join(' ')).toBe(telling);
});
