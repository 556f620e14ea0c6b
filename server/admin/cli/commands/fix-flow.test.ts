import { describe, expect, it } from 'vitest';
import { formatFlow, parse } from '#engine/check';
import type { Problem } from '#shared/problem.ts';
import { type Examined, unparsed } from '../../../flows/service/examine.ts';
import { fixFlow } from './fix-flow.ts';
import { flowText } from '../testing/temp-project.ts';

/** Checks only the name of a flow: an error for each forbidden name, with the replacement as its fix. */
function examiner(better: Readonly<Record<string, string>>): (text: string) => Examined {
  return (text) => {
    const { flow } = parse(text);
    const value = better[flow?.name ?? ''];
    const fix = { kind: 'set-field', title: `Name it ${value}`, field: 'name', value } as const;
    const problem: Problem = { code: 'bad-field', severity: 'error', message: 'A bad name.', fix };
    return { ...unparsed(text, value === undefined ? [] : [problem]), flow };
  };
}

describe('fixing a flow', () => {
  const start = flowText('a', {}).replace('"id": "a",', '"id": "a",\n  "name": "one",');

  it('applies each fix to what the ones before left', () => {
    const examine = examiner({ one: 'two', two: 'three' });
    const { text, applied } = fixFlow(examine(start), examine);
    expect(applied.map(({ title }) => title)).toEqual(['Name it two', 'Name it three']);
    const { flow } = parse(text);
    expect(flow?.name).toBe('three');
    expect(text).toBe(flow && formatFlow(flow));
  });

  it('ends where fixes call for each other', () => {
    const examine = examiner({ one: 'two', two: 'one' });
    expect(fixFlow(examine(start), examine).applied.length).toBeLessThan(4);
  });

  it('gives the text back as it was when there is nothing to apply', () => {
    const untidy = start.replaceAll('\n', '\r\n');
    expect(fixFlow(examiner({})(untidy), examiner({}))).toEqual({ text: untidy, applied: [] });
  });
});
