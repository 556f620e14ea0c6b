import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import { isWildcard } from '../../config/hosts.ts';
import { StartError } from '../../errors/start-error.ts';

/** Listens, and gives the address for callers on this machine. Throws a `StartError` that says what to do. */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new StartError(failures[code]?.(host, port) ?? `Cannot listen on ${host}:${port} (${code}).`);
  }
  const bound = (app.server.address() as { port: number }).port;
  return `http://${shownHost(host)}:${bound}`;
}

function shownHost(host: string): string {
  if (isWildcard(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

const failures: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is taken. Stop what uses it, or choose another with --port (0 picks a free one).`,
  EACCES: (_host, port) => `This user may not listen on port ${port}. Choose one above 1023 with --port.`,
  EADDRNOTAVAIL: (host) => `This machine has no address ${host}. Choose another with --host.`,
  ENOTFOUND: (host) => `The host name ${host} is unknown. Choose another with --host.`,
};
