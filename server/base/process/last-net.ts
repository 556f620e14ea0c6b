import { fileURLToPath } from 'node:url';

/** `EX_SOFTWARE` of sysexits.h: an internal error, after which a service manager starts the server again. */
const EXIT_CODE = 70;
/** How often the log may have a line about one owner, in milliseconds; errors in between are counted. */
const QUIET_MS = 1000;
/** The most owners whose lines are limited separately. */
const MAX_OWNERS = 100;
/** Characters of a stack in the log. */
const MAX_STACK = 4000;

/** The part of a log that is needed here. */
export interface NetLog {
  error(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

/** How a process ends in order. */
interface Ending {
  stop(): Promise<unknown>;
  /** The longest time that it may take, in milliseconds; after that the process ends anyway. */
  readonly withinMs: number;
}

/** Catches exceptions that nothing else caught, so that the process ends in order. */
export interface LastNet {
  /** Called once an orderly end is possible; before that an exception ends the process at once. */
  endBy(ending: Ending): void;
  /** The exit code of a process that was stopped in order: 0, or 70 if an exception was not caught. */
  readonly exitCode: number;
}

/** Unhandled errors, by kind. */
export interface UncaughtCounts {
  readonly rejection: number;
  readonly exception: number;
}

const counts = { rejection: 0, exception: 0 };

/** Since the process began. */
export function uncaughtCounts(): UncaughtCounts {
  return counts;
}

/**
 * The last handler of errors (docs/decisions/0056-loose-promises.md).
 * LN1. An unhandled rejection is logged with its owner and counted, and the process goes on.
 * LN2. After an uncaught exception the state of the process is unknown: it is logged and counted, and the process ends in
 *      order, with code 70.
 * LN3. Only the name, code, message and stack of an error are logged.
 */
export function spreadLastNet(log: NetLog): LastNet {
  let ending: Ending = { stop: async () => {}, withinMs: 0 };
  let isEnding = false;
  const isQuiet = createQuiet();

  process.on('unhandledRejection', (reason) => {
    counts.rejection++;
    const owner = ownerOf(reason);
    const since = isQuiet(owner);
    if (since !== undefined)
      log.error(
        { owner, ...since, err: shownOf(reason) },
        'a rejected promise was not handled; the server goes on',
      );
  });
  process.on('uncaughtException', (error) => {
    counts.exception++;
    const owner = ownerOf(error);
    const since = isQuiet(owner);
    if (since !== undefined)
      log.fatal({ owner, ...since, err: shownOf(error) }, 'an error was not caught; the server stops');
    if (isEnding) return;
    isEnding = true;
    const leave = (): never => process.exit(EXIT_CODE);
    setTimeout(leave, ending.withinMs);
    ending.stop().then(leave, (err: unknown) => {
      log.fatal({ err: shownOf(err) }, 'stopping failed');
      leave();
    });
  });
  return {
    endBy: (given) => void (ending = given),
    get exitCode() {
      return isEnding ? EXIT_CODE : 0;
    },
  };
}

/** Returns undefined while an owner is limited; otherwise the number of lines that were held back. */
function createQuiet(): (owner: string) => { readonly heldBack?: number } | undefined {
  const owners = new Map<string, { readonly until: number; held: number }>();
  return (owner) => {
    const now = performance.now();
    const known = owners.get(owner);
    if (known !== undefined && known.until > now) {
      known.held++;
      return undefined;
    }
    if (known === undefined && owners.size >= MAX_OWNERS) owners.clear();
    owners.set(owner, { until: now + QUIET_MS, held: 0 });
    return known === undefined || known.held === 0 ? {} : { heldBack: known.held };
  };
}

const root = fileURLToPath(new URL('../../../', import.meta.url)).replaceAll('\\', '/');
const FRAME = /^\s+at (?:.*? \()?(?:async )?((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^()]*):\d+:\d+\)?$/;

/** The library or the folder of this project whose code is on top of the stack of an error. */
export function ownerOf(error: unknown): string {
  for (const line of stackOf(error).split('\n')) {
    const place = FRAME.exec(line)?.[1];
    if (place !== undefined) return ownerOfFile(place.replaceAll('\\', '/').replace(/^file:\/\//, ''));
  }
  return 'unknown';
}

function ownerOfFile(path: string): string {
  const [, library] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  const isOwn = path.startsWith(root) && !path.slice(root.length).includes('node_modules/');
  if (library !== undefined && !isOwn) return library;
  const folders = (isOwn ? path.slice(root.length) : path).split('/');
  // The server's folders are in wings.
  const depth = folders[0] === 'server' ? 3 : 2;
  return isOwn ? folders.slice(0, -1).slice(0, depth).join('/') : folders.slice(-2).join('/');
}

function stackOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.stack) : '';
  } catch {
    return '';
  }
}

/** Without a constructor, which the log would take for the type. */
function shownOf(error: unknown): object {
  const shown = Object.create(null) as object;
  if (!(error instanceof Error))
    return Object.assign(shown, { name: typeof error, message: 'It is no error.' });
  const { name, code, message } = error as NodeJS.ErrnoException;
  return Object.assign(shown, {
    name,
    ...(typeof code === 'string' && { code }),
    message: message.slice(0, MAX_STACK),
    stack: stackOf(error).slice(0, MAX_STACK),
  });
}
