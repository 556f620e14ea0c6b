import type { Asker } from './http-service.ts';

/** An address of ours that a service calls, and what the service knows of it. */
export interface Hook {
  /** Names it to `HookService`. */
  readonly key: string;
  /** Where the service is to send. Nobody else knows it. */
  readonly address: string;
  /** What signs its deliveries: ours, until the service has given its own. */
  readonly secret: string;
  /** Whether the service gave the secret. */
  readonly hasTheirs: boolean;
  readonly isRegistered: boolean;
  /** How often the service has lost it; each turn registers it anew, with an idempotency key of its own. */
  readonly turn: number;
  /** Its id at the service. */
  readonly id: string | undefined;
  /** When it ends unless it is renewed, in Unix milliseconds. */
  readonly endsAt: number | undefined;
  /** A person agreed that it takes the place of one of another server. */
  readonly mayReplace: boolean;
}

/** What a service has answered. */
export interface HookFacts {
  readonly id?: string | undefined;
  /** What it signs with, if it made the secret. */
  readonly secret?: string | undefined;
  /** In Unix milliseconds. */
  readonly endsAt?: number | undefined;
}

/** The registrations of triggers at services, which outlive the process. Every method may throw `storage_failed`. */
export interface HookService {
  /**
   * The hook of a trigger; a new one is on the disk before this resolves. `of` is what it is registered with: another value gives
   * another hook. `params` are stored for the time when the flow is gone. Throws `public_address_missing`, `source_ended`.
   */
  open(by: Asker, of: string, params: unknown): Promise<Hook>;
  /** The service has it. */
  registered(key: string, facts: HookFacts): Promise<void>;
  /** The service has lost it. */
  lost(key: string): Promise<void>;
  /** Why the service does not have it, for people. */
  failed(key: string, problem: { readonly code: string; readonly message: string }): Promise<void>;
  /** Whether an address is that of one of this server's hooks. */
  isOurs(address: string): Promise<boolean>;
  /** Resolves after `ms`, or when a person asks to register it again; rejects when `signal` aborts. */
  pause(key: string, ms: number, signal: AbortSignal): Promise<void>;
}
