import { announce, announcedOf } from './announce.ts';
import type { Config } from './base/config/config.ts';
import { ConfigError, readConfig } from './base/config/read-config.ts';
import { createLog } from './base/log/log.ts';
import { createRedactor } from './base/secrets/redactor.ts';
import { type RunningServer, startServer } from './server.ts';
import { createSignalReader } from './base/process/signals.ts';
import { type LastNet, spreadLastNet } from './base/process/last-net.ts';
import { StartError } from './base/errors/start-error.ts';
import { version } from './access/http/version.ts';
import { letRun } from './base/process/light-start.js';

/** `node server`: runs the server until a signal stops it. `args` are the arguments after the script's name. */
export async function main(args: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onStreamError);
  const [arg] = args;
  if (arg === '--help' || arg === '-h') {
    const { helpText } = await import('./base/config/config-help.ts');
    return void process.stdout.write(helpText());
  }
  if (arg === '--version' || arg === '-v') return void process.stdout.write(`${version}\n`);
  if (arg !== undefined) return fail(`There is no option ${arg}. \`node server --help\` lists the settings.`);
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StartError)) throw error;
    fail(error.message);
  }
}

async function run(): Promise<void> {
  // Only the owner can access the files that the server writes.
  process.umask(0o077);
  const terminal = process.stdout.isTTY === true;
  const { config, warnings } = readConfig({ env: process.env, cwd: process.cwd(), terminal });
  if (config.processes > 1) return runAsOneOf(config, warnings, terminal);
  const redactor = createRedactor();
  const log = createLog(config, process.stdout, redactor);
  const net = spreadLastNet(log);
  for (const warning of warnings) log.warn(warning);
  const server = await startServer(config, { log, redactor });
  void letRun();
  stopInOrder(server, net);
  announce(announcedOf(server), terminal, (text) => process.stdout.write(text));
}

/** Runs the supervisor of several processes, or one of them, whose settings are known to be right. */
async function runAsOneOf(config: Config, warnings: readonly string[], terminal: boolean): Promise<void> {
  const { configOfProcess, PROCESS_MARK, serveSupervisor } = await import('./one-of-processes.ts');
  const mark = process.env[PROCESS_MARK];
  if (mark === undefined) {
    const log = createLog(config);
    const net = spreadLastNet(log);
    for (const warning of warnings) log.warn(warning);
    void letRun();
    const { supervise } = await import('./supervise.ts');
    return supervise({ config, log, terminal, net });
  }
  delete process.env[PROCESS_MARK];
  const own = configOfProcess(config, mark);
  const redactor = createRedactor();
  const log = createLog(own, process.stdout, redactor);
  const net = spreadLastNet(log);
  const server = await startServer(own, { log, redactor }).catch((error: unknown) => {
    // A process that cannot start ends, instead of waiting for messages of its supervisor.
    process.channel?.unref();
    throw error;
  });
  void letRun();
  stopInOrder(server, net);
  serveSupervisor(server);
}

/** Stops on signals, and after an uncaught error. */
function stopInOrder(server: RunningServer, net: LastNet): void {
  net.endBy(server);
  const read = createSignalReader(() => performance.now());
  const onSignal = (signal: NodeJS.Signals): void => {
    const wish = read();
    if (wish === 'leave') process.exit(1);
    if (wish === 'repeat') return;
    server.ctx.log.info({ signal, runs: server.ctx.runs.inFlight }, 'stopping');
    server.stop().then(
      () => process.exit(net.exitCode),
      (error: unknown) => {
        server.ctx.log.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

/** The reader closed the stream, as in `--help | head`, or its disk is full: the server goes on without its log. */
function onStreamError(): void {}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
