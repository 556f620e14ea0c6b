import { spawnSync } from 'node:child_process';
import { type Answer, ask, parsed } from './client.ts';
import { runProgram } from './process.ts';

/** A `curl` command as documentation writes it. */
export interface CurlCommand {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Reads a command; throws if a flag is unknown. */
export function readCurl(line: string): CurlCommand {
  const [program, ...words] = shellWords(line);
  if (program !== 'curl') throw new Error(`This is no curl command: ${line}`);
  const headers: Record<string, string> = {};
  const urls: string[] = [];
  let method: string | undefined;
  let body: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      urls.push(word);
      continue;
    }
    const given = words[++at];
    if (given === undefined) throw new Error(`curl: ${word} has no value: ${line}`);
    const [name = '', value = ''] = given.split(/:\s*(.*)/s);
    if (word === '-X') method = given;
    else if (word === '-d') body = given;
    else if (word === '-H') headers[name.toLowerCase()] = value;
    else throw new Error(`curl: the flag ${word} is not known here: ${line}`);
  }
  const [url, ...others] = urls;
  if (url === undefined || others.length > 0) throw new Error(`curl: there must be one address: ${line}`);
  return { url, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body };
}

/** The words of a command line with plain, '…' and "…" parts; throws if there is any other shell syntax. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  const part = /\s*((?:[^\s'"`$&|;<>(){}*?#\\!]|'[^']*'|"[^"`$\\]*")+)(?=\s|$)/y;
  while (part.lastIndex < line.trimEnd().length) {
    const at = part.lastIndex;
    const word = part.exec(line)?.[1];
    if (word === undefined) throw new Error(`This is more than a simple command: ${line.slice(at)}`);
    words.push(
      word.replaceAll(
        /'([^']*)'|"([^"]*)"/g,
        (_all, single?: string, double?: string) => single ?? double ?? '',
      ),
    );
  }
  return words;
}

const isInstalled = spawnSync('curl', ['--version']).status === 0;

/** Runs the command against the server at `origin`, whatever port it names: with curl itself, if it is installed. */
export async function runCurl(line: string, origin: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const { url, method, headers, body } = readCurl(line);
  const { origin: written } = new URL(url);
  if (!isInstalled)
    return ask(url.replace(written, origin), { method, headers, ...(body !== undefined && { body }) });
  const [, ...words] = shellWords(line.replace(written, origin));
  const ended = await runProgram('curl', ['-sS', '--write-out', '\n%{http_code}', ...words]);
  if (ended.code !== 0) throw new Error(`${line}: ${ended.stderr}`);
  const cut = ended.stdout.lastIndexOf('\n');
  return { status: Number(ended.stdout.slice(cut + 1)), body: parsed(ended.stdout.slice(0, cut)) };
}
