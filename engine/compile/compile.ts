import type { Flow } from '#shared/flow.ts';
import type { Registry } from '../registry.ts';

/** Functions the server supplies, since the engine has no such libraries of its own. */
export interface Tools {
  /** A linear-time regular expression. Throws on a bad pattern. */
  regex(pattern: string): { test(text: string): boolean };
}

/** A flow ready to run: one frozen plan per trigger node. */
export interface CompiledFlow {
  readonly id: string;
  readonly version: string;
  readonly plans: ReadonlyMap<string, Plan>;
}

export interface Plan {
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
}

/** Compiles a flow that `check` found without errors. `version` is the hash of its canonical text. */
export declare function compile(flow: Flow, version: string, registry: Registry, tools: Tools): CompiledFlow;
