import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../base/config/config.ts';
import { editorOrigins } from '../../access/http/trigger-origin.ts';

/**
 * Pages of these origins may call the API with a key, never with cookies. They include the editor if triggers have
 * their own origin.
 */
export async function allowOrigins(api: FastifyInstance, config: Config): Promise<void> {
  if (config.corsOrigins.length === 0 && config.triggerOrigin === undefined) return;
  const isAllowed = (origin: string): boolean => {
    const { port } = (api.server.address() as AddressInfo | null) ?? config;
    return config.corsOrigins.includes(origin) || editorOrigins(config, port).includes(origin);
  };
  const { default: cors } = await import('@fastify/cors');
  await api.register(cors, {
    // `false` leaves the request unchanged, even an OPTIONS request that is not a preflight.
    origin: (origin, done) => done(null, origin !== undefined && isAllowed(origin) ? origin : false),
    strictPreflight: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'X-Weft-Version',
      'X-Weft-Run',
      'X-Weft-Resume',
      'X-Weft-Ignored',
      'Idempotent-Replayed',
      'X-Request-Id',
      'Mcp-Session-Id',
      'Location',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
    ],
    maxAge: 600,
  });
}
