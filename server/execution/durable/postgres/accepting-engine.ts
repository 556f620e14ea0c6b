import type { DurableEngine, EngineHost } from '../port.ts';
import { PostgresEngine, type PostgresEngineDeps } from './postgres-engine.ts';

/**
 * The durable runs in a database, for a server that accepts them, tells of them and never executes one: whatever is due is left
 * to the others, which are told.
 */
export function createAcceptingEngine(deps: PostgresEngineDeps): DurableEngine {
  return new AcceptingEngine(deps);
}

class AcceptingEngine extends PostgresEngine {
  /** Claims nothing, and takes over nothing of servers that died. */
  override begin(host: EngineHost): void {
    this.follow(host);
  }
}
