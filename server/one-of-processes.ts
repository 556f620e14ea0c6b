import { join } from 'node:path';
import { z } from 'zod';
import { announcedOf } from './announce.ts';
import type { Config, OneOfProcesses } from './base/config/config.ts';
import { ownMetrics, type ToProcess, notifySupervisor } from './base/process/supervisor-channel.ts';
import type { RunningServer } from './server.ts';

/** Its value tells a process its number and the total, like `2/4`. */
export const PROCESS_MARK = 'STARTED_BY_WEFT_SUPERVISOR';

const Mark = z
  .string()
  .regex(/^\d+\/\d+$/)
  .transform((mark) => mark.split('/').map(Number) as [number: number, of: number]);

/** The settings of one of several processes: those that its supervisor has read, with a data folder of its own. */
export function configOfProcess(config: Config, mark: string): Config {
  const [number, of] = Mark.parse(mark);
  const own = join(config.data, `process-${number}`);
  const one: OneOfProcesses = { number, of, shared: config.data, own };
  if (config.databaseUrl !== undefined) return { ...config, data: own, process: one };
  // The first keeps the data folder. The others serve, and leave to it the work that a server with WEFT_ROLE=web leaves to others.
  return number === 1 ? { ...config, process: one } : { ...config, data: own, role: 'web', process: one };
}

/** Reports to the supervisor that this process serves, and answers its requests for metrics from now on. */
export function serveSupervisor(server: RunningServer): void {
  const { front, ctx } = server;
  process.on('message', (message: ToProcess) => {
    if (message.kind !== 'give-metrics') return;
    const { question } = message;
    front
      .app()
      .then(ownMetrics)
      .then(
        (metrics) => notifySupervisor({ kind: 'metrics', question, metrics }),
        (err: unknown) => ctx.log.error({ err }, 'the metrics of this process could not be read'),
      );
  });
  const { port, firstKey, entrance } = announcedOf(server);
  notifySupervisor({ kind: 'ready', port, firstKey, entrance });
}
