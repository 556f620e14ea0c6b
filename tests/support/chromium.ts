import { execFileSync, spawnSync } from 'node:child_process';
import { type Browser, type BrowserServer, chromium } from '@playwright/test';

/** Debian's headless build takes less than half of the time for the same page, so it comes first. */
const programs = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];

/** Turns off everything in Chromium that uses the network by itself. Root cannot use the browser's sandbox. */
export const launchArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A browser to test in: the one that TEST_CHROMIUM names, an installed Chromium, otherwise one installed now (Debian's
 * as root, otherwise Playwright's own). If none works, the error says what to do; a test never passes without a browser.
 */
export function launchChromium(): Promise<Browser> {
  return chromium.launch(launchOptions());
}

/** A browser that several processes can use. */
export function launchChromiumServer(): Promise<BrowserServer> {
  return chromium.launchServer({ host: '127.0.0.1', ...launchOptions() });
}

function launchOptions() {
  const executablePath = chosen() ?? installed(programs) ?? install();
  return { args: launchArgs, ...(executablePath && { executablePath }) };
}

/** Builds differ, for example in how far ahead they load, and tests have to pass with each. */
function chosen(): string | undefined {
  const program = process.env['TEST_CHROMIUM'];
  if (program === undefined) return undefined;
  const found = installed([program]);
  if (found === undefined) throw new Error(`TEST_CHROMIUM=${program}: there is no such program.`);
  return found;
}

function installed(names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = spawnSync('which', [name], { encoding: 'utf8' });
    if (found.status === 0) return found.stdout.trim();
  }
  return undefined;
}

function install(): string | undefined {
  const isRoot = process.getuid?.() === 0;
  const commands = isRoot
    ? [
        ['apt-get', 'update'],
        ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium-headless-shell'],
      ]
    : [['npx', 'playwright', 'install', 'chromium']];
  for (const [program = '', ...args] of commands) {
    try {
      execFileSync(program, args, { stdio: 'ignore' });
    } catch {
      const text = commands.map((command) => command.join(' ')).join(' && ');
      throw new Error(`The tests need Chromium, and installing it failed. Run: ${text}`);
    }
  }
  return isRoot ? installed(programs) : undefined;
}
