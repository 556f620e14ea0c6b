import type { Provider } from './provider.ts';

/** The wanted scopes that were not granted. Providers name one scope with and without its address, in any case. */
export function lackingScopes(wanted: readonly string[], granted: readonly string[]): string[] {
  const has = granted.map((scope) => scope.toLowerCase());
  return wanted.filter((scope) => {
    const asked = scope.toLowerCase();
    return !has.some((one) => one === asked || one.endsWith(`/${asked}`) || asked.endsWith(`/${one}`));
  });
}

/** `Drive: Read all files`, or the scope itself. */
export function scopeLabel({ scopes }: Pick<Provider, 'scopes'>, scope: string): string {
  const known = scopes.find((one) => one.scope === scope);
  if (known === undefined) return scope;
  return known.group === undefined ? known.label : `${known.group}: ${known.label}`;
}
