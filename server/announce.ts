import { join } from 'node:path';
import type { Config } from './base/config/config.ts';
import { writeOwnFileSync } from './base/files/atomic-file.ts';
import { ownAddress, triggerAddress } from './base/config/own-address.ts';
import type { RunningServer } from './server.ts';
import { triggerPrefix } from './api/triggers/front-door.ts';
import { version, weftCommand } from './access/http/version.ts';
import { SIGN_IN_FILE, signInAddress } from './access/security/sign-in.ts';

/** The announced facts about a server. */
export interface Announced {
  readonly config: Config;
  readonly port: number;
  /** The API key that was created because there was none. */
  readonly firstKey: string | undefined;
  /** The address that signs in a browser, unless people sign in with a password. */
  readonly entrance: string | undefined;
}

/** Creates the sign-in address, if there is an editor to sign in to without a password. */
export function announcedOf({ ctx, port, firstKey }: RunningServer): Announced {
  const { config } = ctx;
  const signsIn = config.editor === 'on' && config.adminPassword === undefined;
  return {
    config,
    port,
    firstKey,
    entrance: signsIn ? signInAddress(ctx, ownAddress(config, port)) : undefined,
  };
}

/**
 * Prints the facts about the started server on standard output: lines for people, or one JSON line if logs are JSON. The
 * sign-in address and the API key are shown only on a terminal, since anyone who reads a log could use them; without a
 * terminal they go to files that only the owner can read. If a password is set, no sign-in address is printed: people
 * sign in with the password.
 */
export function announce(
  { config, port, firstKey, entrance }: Announced,
  terminal: boolean,
  write: (text: string) => void,
): void {
  const { data } = config;
  const url = new URL('/', ownAddress(config, port)).href;
  const isShown = terminal && config.logFormat === 'pretty';
  const keyFile = isShown ? undefined : keepOwn(join(data, 'api-key.txt'), firstKey);
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
      ...(config.processes > 1 && { processes: config.processes }),
    };
    write(`${JSON.stringify(line)}\n`);
    return;
  }
  const triggers = `${triggerAddress(config, port)}${triggerPrefix}`;
  const shown = isShown ? { entrance, key: firstKey } : { entrance: undefined, key: undefined };
  write(readyText(config, { url, triggers, signInFile, keyFile, ...shown }));
}

interface ReadyLines {
  readonly url: string;
  readonly triggers: string;
  readonly entrance: string | undefined;
  readonly signInFile: string | undefined;
  readonly key: string | undefined;
  readonly keyFile: string | undefined;
}

function readyText(
  config: Config,
  { url, triggers, entrance, signInFile, key, keyFile }: ReadyLines,
): string {
  const all = config.processes > 1 ? ` in ${config.processes} processes` : '';
  const lines = [`Weft ${version} is running${all}.`, ''];
  if (config.editor === 'on') lines.push(`  Editor    ${entrance ?? url}`);
  if (entrance !== undefined)
    lines.push(
      `            (signs in one browser, within 15 minutes; \`${weftCommand} open\` prints another)`,
    );
  if (signInFile !== undefined)
    lines.push(`  Sign in   with the address in ${signInFile}, within 15 minutes`);
  lines.push(
    config.role === 'worker'
      ? `  Worker    at ${url}, for health, metrics and other servers`
      : `  Triggers  ${triggers}/<path>`,
  );
  if (key !== undefined) lines.push(`  API key   ${key}   (shown this once)`);
  if (keyFile !== undefined) lines.push(`  API key   in ${keyFile}`);
  return `${lines.join('\n')}\n\n`;
}

/** Writes a line to a file that only the owner can read; returns the file, or undefined without a line. */
function keepOwn(file: string, line: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  writeOwnFileSync(file, `${line}\n`);
  return file;
}

/** A full disk does not stop the server: without the file, `weft open` still works. */
function keepEntrance(file: string, entrance: string | undefined): string | undefined {
  try {
    return keepOwn(file, entrance);
  } catch {
    return undefined;
  }
}
