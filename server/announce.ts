import { join } from 'node:path';
import type { Config } from './config.ts';
import { writeOwnFileSync } from './flows/atomic-file.ts';
import { ownAddress } from './own-address.ts';
import type { RunningServer } from './server.ts';
import { version } from './version.ts';

/**
 * What a start says on standard output: lines for people, or one JSON line where logs are JSON. The address carries the
 * sign-in token only where there is no password, since it is then the only way in. The API key is shown on a terminal and
 * nowhere else; without one it goes to a file for the owner's eyes.
 */
export function announce(server: RunningServer, terminal: boolean, write: (text: string) => void): void {
  const { config, access } = server.ctx;
  const url = new URL('/', ownAddress(config, server.port));
  if (config.editor === 'on' && config.adminPassword === undefined) {
    url.searchParams.set('token', access.issueStartToken());
  }
  const isShown = terminal && config.logFormat === 'pretty';
  const keyFile = server.firstKey !== undefined && !isShown ? keepKey(config, server.firstKey) : undefined;
  if (config.logFormat === 'json') {
    const line = { level: 30, time: new Date().toISOString(), msg: 'ready', url: url.href, version, keyFile };
    write(`${JSON.stringify(line)}\n`);
    return;
  }
  write(readyText(config, url, isShown ? server.firstKey : undefined, keyFile));
}

function readyText(config: Config, url: URL, key: string | undefined, keyFile: string | undefined): string {
  const lines = [`Weft ${version} is running.`, ''];
  if (config.editor === 'on') lines.push(`  Editor    ${url.href}`);
  lines.push(`  Triggers  ${new URL('/api/v1/awel/trigger/', url).href.split('?', 1)[0]}<path>`);
  if (key !== undefined) lines.push(`  API key   ${key}   (shown this once)`);
  if (keyFile !== undefined) lines.push(`  API key   in ${keyFile}`);
  return `${lines.join('\n')}\n\n`;
}

function keepKey(config: Config, key: string): string {
  const file = join(config.data, 'api-key.txt');
  writeOwnFileSync(file, `${key}\n`);
  return file;
}
