import { describe, expect, it } from 'vitest';
import { embedSnippet, originsFault, originsIn } from './embed.ts';

describe('origins', () => {
  it('stand one on each line, each once', () => {
    expect(originsIn(' https://A.example/ \n\nhttps://b.example:8080, https://a.example')).toEqual([
      'https://a.example',
      'https://b.example:8080',
    ]);
  });

  it.each(['shop.example', 'https://a.example/path', 'javascript:alert(1)', "'self'", 'https://*.example'])(
    'refuses %s',
    (text) => {
      expect(originsFault(text)).toContain('is not an origin');
    },
  );

  it('may be none', () => {
    expect(originsFault('')).toBeUndefined();
  });
});

describe('embedSnippet', () => {
  it('holds the name as text', () => {
    expect(embedSnippet('https://w.example/talk/1', '"><script>')).toContain(
      'title="&quot;&gt;&lt;script&gt;"',
    );
  });
});
