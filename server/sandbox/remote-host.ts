import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type Engine, type SandboxHost, type StartHost, unknownUsage, type Usage } from './spawn.ts';

/** The first line of both connections of a host, by which the supervisor knows that they belong together. */
export interface Greeting {
  /** Random. */
  readonly token: string;
  /** `frames` are those of `host/wire.js`; `control` has lines from the supervisor. */
  readonly carries: 'frames' | 'control';
  readonly engine: Engine;
}

/** A line of the supervisor about the host. */
export type Told =
  | { readonly pid: number }
  | { readonly usage: Usage }
  /** It is gone; both connections end. */
  | { readonly ended: string };

/**
 * Hosts that a supervisor runs (`supervisor.ts`), behind a Unix socket: in a container of their own they share neither user nor
 * network with this server. Closing the connections ends a host.
 */
export function remoteHosts(path: string): StartHost {
  return (engine) => startRemote(path, engine);
}

function startRemote(path: string, engine: Engine): SandboxHost {
  const token = randomBytes(16).toString('hex');
  let pid: number | undefined;
  let usage = unknownUsage;
  let lastWords = '';
  const open = (carries: Greeting['carries']): Socket => {
    const socket = connect(path);
    socket.write(`${JSON.stringify({ token, carries, engine } satisfies Greeting)}\n`);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      lastWords ||= `The sandbox at unix:${path} cannot be reached (${error.code}): is it running, and may this user open its socket?`;
    });
    return socket;
  };
  const [control, frames] = [open('control'), open('frames')];
  const lines = createInterface({ input: control, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('error', () => {});
  lines.on('line', (line) => {
    const told = JSON.parse(line) as Told;
    if ('pid' in told) ({ pid } = told);
    else if ('usage' in told) ({ usage } = told);
    else lastWords ||= told.ended;
  });
  const kill = (): void => {
    control.destroy();
    frames.destroy();
  };
  return {
    socket: frames,
    get pid() {
      return pid;
    },
    usage: () => usage,
    kill,
    hold(isHeld) {
      for (const one of [control, frames]) one[isHeld ? 'ref' : 'unref']();
    },
    onEnd(ended) {
      let open = 2;
      for (const one of [control, frames])
        one.once('close', () => {
          kill();
          open -= 1;
          if (open === 0) ended(lastWords);
        });
    },
  };
}
