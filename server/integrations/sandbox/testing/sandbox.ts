import type { Services } from '#engine';
import { type CodeSandbox, createCodeSandbox } from '../code-service.ts';
import type { Engine, StartHost } from '../spawn.ts';

export interface TestSandbox {
  readonly engine?: Engine;
  readonly start?: StartHost;
  readonly hosts?: number;
  readonly services?: Services;
}

/** A real sandbox whose warnings nobody reads. */
export function testSandbox({
  engine = 'isolated-vm',
  hosts = 1,
  services = {},
  ...more
}: TestSandbox = {}): CodeSandbox {
  return createCodeSandbox({ engine, hosts, services, ...more, warn() {} });
}
