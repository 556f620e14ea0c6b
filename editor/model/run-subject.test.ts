import { expect, test } from 'vitest';
import { runSubject, stepName, subjectName } from './run-subject.ts';

const names: Readonly<Record<string, string>> = { 'app a1': 'Helper', 'flow shop': 'Shop' };
const nameOf = ({ kind, of }: { kind: string; of: string }) => names[`${kind} ${of}`];

test.each([
  ['shop', 'Shop'],
  ['unnamed', 'unnamed'],
  ['app:a1', 'Helper'],
  ['app:gone', 'gone'],
  ['chat:normal', 'Chat with a model'],
  ['knowledge:Manuals', 'Chat with Manuals'],
  ['load:Manuals', 'Load into Manuals'],
  ['data:orders', 'Question to orders'],
  ['embed:demo/words', 'Embedding by demo/words'],
])('a run of %s is called %s', (flow, name) => {
  expect(subjectName(flow, nameOf)).toBe(name);
});

test('a step of a flow that is no file has a name', () => {
  expect(stepName('load:Manuals', 'split')).toBe('Split and store');
  expect(stepName('app:a1', 'answer')).toBe('Answer');
  expect(stepName('shop', 'answer')).toBe('answer');
  expect(runSubject('app:a:b')).toEqual({ kind: 'app', of: 'a:b' });
});
