// Plain JavaScript for old runtimes: starts a TypeScript entry on this Node when it is new enough, else on the runtime
// that npm installed with the project (the optional dependencies `node-<platform>-<arch>`).
import { spawn } from 'child_process';
import module from 'module';

const oldestNode = 24;
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** The npm package brings no runtime, a checkout does. */
const isInstalled = import.meta.url.includes('/node_modules/');
/** Tells the process we start that its IPC channel is ours; a channel of anybody else's may close without meaning anything. */
const mark = 'STARTED_BY_WEFT_LAUNCHER';

/**
 * @param {() => Promise<{ main(args: string[]): Promise<void> | void }>} load imports the entry
 */
export function launch(load) {
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) {
    module.enableCompileCache();
    endWithLauncher();
    load()
      .then((entry) => entry.main(process.argv.slice(2)))
      .catch(fail);
    return;
  }
  const runtime = bundledRuntime();
  if (runtime === undefined) {
    console.error(
      `Weft needs Node ${oldestNode} or newer; this is ${process.version}.\n` +
        'Install Node 24 or newer from https://nodejs.org' +
        (isInstalled
          ? ', then run the command again.'
          : ', or run `npm ci` in the project folder, which brings a runtime for Linux (x64, arm64) and Windows (x64).'),
    );
    process.exit(1);
  }
  relaunch(runtime);
}

function bundledRuntime() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  try {
    return module.createRequire(import.meta.url).resolve(`node-${platform}-${process.arch}/bin/${program}`);
  } catch {
    return undefined;
  }
}

/** Same arguments and streams; signals go on to the child, and its end becomes ours. */
function relaunch(runtime) {
  const child = spawn(runtime, process.execArgv.concat(process.argv.slice(1)), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: Object.assign({}, process.env, { [mark]: String(process.pid) }),
  });
  const forward = (signal) => child.kill(signal);
  forwarded.forEach((signal) => process.on(signal, forward));
  child.on('error', fail);
  child.on('exit', (code, signal) => {
    forwarded.forEach((name) => process.removeListener(name, forward));
    if (signal === null) process.exit(code);
    process.kill(process.pid, signal);
  });
}

/** A launcher that is killed cannot forward that: the channel closes, and the server stops as on SIGTERM. */
function endWithLauncher() {
  const isOurs = process.env[mark] === String(process.ppid);
  delete process.env[mark];
  if (!isOurs) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

function fail(error) {
  console.error(error);
  process.exit(1);
}
