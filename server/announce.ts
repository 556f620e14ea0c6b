import { join } from 'node:path';
import type { Config } from './config/config.ts';
import { writeOwnFileSync } from './files/atomic-file.ts';
import { ownAddress, triggerAddress } from './config/own-address.ts';
import type { RunningServer } from './server.ts';
import { triggerPrefix } from './triggers/routes.ts';
import { version } from './http/version.ts';
import { SIGN_IN_FILE, signInAddress } from './security/sign-in.ts';

/**
 * What a start says on standard output: lines for people, or one JSON line where logs are JSON. The address that signs in and the
 * API key are shown on a terminal and nowhere else, since whoever reads a log would be the owner; without a terminal they go to
 * files for the owner's eyes. With a password there is no such address at a start: the password is the way in.
 */
export function announce(server: RunningServer, terminal: boolean, write: (text: string) => void): void {
  const { config } = server.ctx;
  const { data } = config;
  const url = new URL('/', ownAddress(config, server.port)).href;
  const isShown = terminal && config.logFormat === 'pretty';
  const signsIn = config.editor === 'on' && config.adminPassword === undefined;
  const entrance = signsIn ? signInAddress(server.ctx, ownAddress(config, server.port)) : undefined;
  const keyFile = isShown ? undefined : keepOwn(join(data, 'api-key.txt'), server.firstKey);
  const signInFile = isShown ? undefined : keepEntrance(join(data, SIGN_IN_FILE), entrance);
  if (config.logFormat === 'json') {
    const line = {
      level: 30,
      time: new Date().toISOString(),
      msg: 'ready',
      url,
      version,
      keyFile,
      signInFile,
    };
    write(`${JSON.stringify(line)}\n`);
    return;
  }
  const triggers = `${triggerAddress(config, server.port)}${triggerPrefix}`;
  const shown = isShown ? { entrance, key: server.firstKey } : { entrance: undefined, key: undefined };
  write(readyText(config, { url, triggers, signInFile, keyFile, ...shown }));
}

interface Told {
  readonly url: string;
  readonly triggers: string;
  readonly entrance: string | undefined;
  readonly signInFile: string | undefined;
  readonly key: string | undefined;
  readonly keyFile: string | undefined;
}

function readyText(config: Config, { url, triggers, entrance, signInFile, key, keyFile }: Told): string {
  const lines = [`Weft ${version} is running.`, ''];
  if (config.editor === 'on') lines.push(`  Editor    ${entrance ?? url}`);
  if (entrance !== undefined)
    lines.push(
      '            (signs one browser in, within 15 minutes; `npm run weft -- open` prints another)',
    );
  if (signInFile !== undefined) lines.push(`  Sign in   by the address in ${signInFile}, within 15 minutes`);
  lines.push(`  Triggers  ${triggers}/<path>`);
  if (key !== undefined) lines.push(`  API key   ${key}   (shown this once)`);
  if (keyFile !== undefined) lines.push(`  API key   in ${keyFile}`);
  return `${lines.join('\n')}\n\n`;
}

/** Keeps a line for the owner's eyes; gives its file, undefined where there is nothing to keep. */
function keepOwn(file: string, line: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  writeOwnFileSync(file, `${line}\n`);
  return file;
}

/** Without its file there is still `weft open`, so a full disk is no reason to end. */
function keepEntrance(file: string, entrance: string | undefined): string | undefined {
  try {
    return keepOwn(file, entrance);
  } catch {
    return undefined;
  }
}
