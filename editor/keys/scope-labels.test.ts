import { describe, expect, it } from 'vitest';
import { scopes } from '#shared/scopes.ts';
import { curlFor, SCOPE_WORDS } from './scope-labels.ts';

describe('SCOPE_WORDS', () => {
  it('explains each scope once', () => {
    expect(SCOPE_WORDS.map(({ scope }) => scope).sort()).toEqual([...scopes].sort());
  });
});

describe('curlFor', () => {
  it('is a call that the key may make', () => {
    expect(curlFor('http://a', 'k', ['runs:read'])).toBe(
      "curl 'http://a/api/v1/runs' -H 'Authorization: Bearer k'",
    );
    expect(curlFor('http://a', 'k', ['triggers', 'chat'])).toContain(
      `/v1/chat/completions' -H 'Authorization: Bearer k' -H 'Content-Type: application/json' -d '{"model":"demo/chat",`,
    );
  });

  it('is none where every call would change something', () => {
    expect(curlFor('http://a', 'k', ['flows:write', 'flows:publish'])).toBeUndefined();
  });
});
