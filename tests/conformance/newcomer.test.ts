import { expect, onTestFinished, test } from 'vitest';
import { type Answer, ask } from '../support/client.ts';
import { readCurl } from '../support/curl.ts';
import { copyOfExamples } from '../support/flows.ts';
import { fencesOf } from '../support/markdown.ts';
import { runProgram } from '../support/process.ts';
import { discard, root, startServer, type TestServer } from '../support/server.ts';

/** What the pages about chats and apps say to type, typed by someone who has just started the server. */
const firstFence = (page: string, language: string): string => {
  const fence = fencesOf(page).find((one) => one.language === language);
  if (fence === undefined) throw new Error(`${page} has no block of ${language}.`);
  return fence.text;
};

/** The curl commands of the page's first block, one after the other. */
async function typeCurls(page: string, { url, key }: TestServer): Promise<Answer[]> {
  const text = firstFence(page, 'sh').replaceAll('\\\n', ' ').replaceAll('$KEY', key);
  const answers: Answer[] = [];
  for (const line of text.split('\n\n').filter((part) => part.startsWith('curl'))) {
    const { url: address, ...init } = readCurl(line.replace(/^curl -[sN]+/, 'curl'));
    const { body = null, method, headers } = init;
    answers.push(await ask(address.replace('localhost:5670', url), { method, headers, body }));
  }
  return answers;
}

/** Runs a block of JavaScript as it stands, but for the address. */
async function runScript(text: string, { url, key }: TestServer): Promise<string> {
  const script = text.replace('http://localhost:5670', url);
  const args = ['--input-type=module', '--eval', script];
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { cwd: root, env: { KEY: key } });
  expect(code, stderr).toBe(0);
  return stdout;
}

test('the examples of docs/chat.md and docs/apps.md work as they stand, one after the other', async () => {
  const server = await startServer({ flows: copyOfExamples() });
  onTestFinished(() => discard(server));
  const [chat] = await typeCurls('docs/chat.md', server);
  expect(chat?.text).toMatch(/"content":" 5".*\n\n(?:.*\n)*data: \[DONE\]\n\n$/);
  const script = firstFence('docs/chat.md', 'js');
  expect(await runScript(script, server)).toMatch(/1 2 3 4 5$/);
  const [made, found] = await typeCurls('docs/apps.md', server);
  expect([made?.status, found?.status]).toEqual([201, 200]);
  const code = /"app_code":"([^"]+)"/.exec(made?.text ?? '')?.[1] ?? '';
  expect(found?.text).toContain(code);
  const withApp = script.replace('demo/chat', `app:${code}`).replace('Count to 5', 'Good morning');
  const said = await runScript(withApp, server);
  expect(said).toContain('Receptionist');
  expect(said).not.toContain('failed');
});
