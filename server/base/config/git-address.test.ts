import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './read-config.ts';
import { readGitAddress } from './git-address.ts';

test.each([
  ['git+https://host.example/team/flows.git#main', 'https', 'main', ''],
  ['git+https://host.example/flows.git#release/1.2:prod//flows/', 'https', 'release/1.2', 'prod/flows'],
  ['git+ssh://git@host.example:22/flows.git#main', 'ssh', 'main', ''],
  ['git+file:///srv/flows.git#main', 'file', 'main', ''],
  ['git+http://127.0.0.1:3000/flows.git#main', 'http', 'main', ''],
])('%s is a branch, and a folder of it', (text, protocol, branch, folder) => {
  const url = text.slice('git+'.length, text.indexOf('#'));
  expect(readGitAddress(text)).toEqual({ url, protocol, branch, folder });
});

test.each([
  'https://host.example/flows.git#main',
  'git+https://host.example/flows.git',
  'git+https://host.example/flows.git#',
  'git+https://user:token@host.example/flows.git#main',
  'git+https://token@host.example/flows.git#main',
  'git+http://host.example/flows.git#main',
  'git+ext://sh -c touch%20/tmp/x#main',
  'git+ssh://-oProxyCommand=x/flows.git#main',
  'git+https://host.example/flows.git#--upload-pack=x',
  'git+https://host.example/flows.git#a..b',
  'git+https://host.example/flows.git#main.lock',
  'git+https://host.example/flows.git#main:../up',
  'git+https://host.example/flows.git#main:a/.git',
])('%s is none', (text) => {
  expect(readGitAddress(text)).toBeUndefined();
});

function mistake(env: Record<string, string>): string {
  try {
    readConfig({ env, cwd: '/nonexistent', terminal: false });
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

test('a repository needs a database, and a fault of its address is reported without it', () => {
  const from = 'git+https://host.example/flows.git#main';
  expect(mistake({ WEFT_FLOWS_FROM: from })).toContain('flows_need_database');
  expect(mistake({ WEFT_FLOWS_FROM: 'database' })).toContain('flows_need_database');
  expect(mistake({ WEFT_FLOWS_FROM: 'folders' })).toBe('');
  expect(mistake({ WEFT_FLOWS_CREDENTIALS: 'me:token' })).toContain('WEFT_FLOWS_CREDENTIALS has no effect');
  const wrong = mistake({ WEFT_FLOWS_FROM: 'git+https://me:token-4711@host.example/flows.git#main' });
  expect(wrong).toContain('WEFT_FLOWS_FROM must be');
  expect(wrong).not.toContain('token-4711');
});
