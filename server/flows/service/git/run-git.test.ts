import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../../../tests/support/server.ts';
import { startStandInProxy } from '../../../base/outbound/testing/stand-in-proxy.ts';
import { createRunGit, gitError } from './run-git.ts';

const never = new AbortController().signal;
const CANARY = 'p@ss:word';

function git(url: string, address: string, except: readonly string[] = []) {
  const proxy = { address, credentials: `ada:${CANARY}`, except };
  return createRunGit({ url, protocol: 'https', proxy }, undefined, never);
}

test('git goes to a repository through the proxy of the server', async () => {
  const proxy = await startStandInProxy();
  proxy.wants = `ada:${CANARY}`;
  const url = 'https://git.example/flows.git';
  const failed = await git(url, proxy.address)(['ls-remote', url], { cwd: tempFolder('git') });
  expect(proxy.asked).toContain('git.example:443');
  expect(proxy.heard()).toContain(Buffer.from(proxy.wants).toString('base64'));
  // It is not there.
  const error = gitError(failed);
  expect(error).toMatchObject({ code: 'git_unreachable' });
  expect(`${error.message}${failed.err}`).not.toMatch(/p@ss|p%40ss/);
});

test('git goes past it where the settings say so, and its own proxies do not count then', async () => {
  const proxy = await startStandInProxy();
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('https_proxy', proxy.address);
  const url = 'https://git.invalid/flows.git';
  const { err } = await git(url, proxy.address, ['git.invalid'])(['ls-remote', url], {
    cwd: tempFolder('git'),
  });
  expect(err).toContain('Could not resolve host');
  expect(proxy.asked).toEqual([]);
});

test('names are looked up by a SOCKS proxy', async () => {
  const run = git('https://git.example/x.git', 'socks5://proxy.example:1080');
  const { out } = await run(['config', '--get', 'http.proxy'], { cwd: tempFolder('git') });
  expect(out.toString().trim()).toBe('socks5h://ada:p%40ss%3Aword@proxy.example:1080');
});
