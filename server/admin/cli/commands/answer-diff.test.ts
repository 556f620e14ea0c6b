import { describe, expect, it } from 'vitest';
import { type Answer, answerDiff, changeLines } from '../show/answer-diff.ts';

function json(value: unknown, status = 200): Answer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}

function lines(before: Answer, after: Answer): string[] {
  return changeLines(answerDiff(before, after));
}

describe('the changes between two answers', () => {
  it('is nothing when they are the same, whatever the order of keys', () => {
    expect(answerDiff(json({ a: 1, b: [{}] }), json({ b: [{}], a: 1 }))).toEqual([]);
  });

  it('is shown field by field', () => {
    const before = json({ name: 'Ada', items: [1, 2, 3], kept: true, 'odd key': 1 });
    const after = json({ name: 'Bob', items: [1, 4], kept: true, more: { deep: null } });
    expect(lines(before, after)).toEqual([
      'body.name: "Ada" → "Bob"',
      'body.items[1]: 2 → 4',
      'body.items[2]: - 3',
      'body["odd key"]: - 1',
      'body.more: + {"deep":null}',
    ]);
  });

  it('holds status and type too', () => {
    expect(lines(json('ok'), { status: 204, type: undefined, body: '' })).toEqual([
      'status: 200 → 204',
      'content-type: - "application/json; charset=utf-8"',
      'body: - "ok"',
    ]);
  });

  it('distinguishes an empty object, an empty list and null', () => {
    expect(answerDiff(json({}), json([]))).toHaveLength(1);
    expect(answerDiff(json(null), json({}))).toHaveLength(1);
  });

  it('compares text as text, and what only claims to be JSON too', () => {
    const text = (body: string, type = 'text/plain'): Answer => ({ status: 200, type, body });
    expect(lines(text('{"a":1}'), text('{"a":2}'))).toEqual([String.raw`body: "{\"a\":1}" → "{\"a\":2}"`]);
    expect(lines(text('oops', 'application/json'), text('ok', 'application/json'))).toEqual([
      'body: "oops" → "ok"',
    ]);
  });

  it('cuts long values around the place where they begin to differ', () => {
    const [line = ''] = lines(json(`${'a'.repeat(5000)}X${'b'.repeat(5000)}`), json(`${'a'.repeat(5000)}Y`));
    expect(line.length).toBeLessThan(500);
    expect(line).toMatch(/^body: …a+Xb+… → …a+Y"$/);
  });

  it('stops listing after 20 changes', () => {
    const all = lines(json(Array.from({ length: 50 }, () => 0)), json(Array.from({ length: 50 }, () => 1)));
    expect(all).toHaveLength(21);
    expect(all.at(-1)).toBe('… and 30 more');
  });
});
