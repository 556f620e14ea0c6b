/** This tab's name, and the other open tabs: each tab holds a lock while it lives. */
export const tabId = Math.random().toString(36).slice(2);

const lockOf = (tab: string): string => `weft.tab.${tab}`;
const locks = globalThis.navigator?.locks as LockManager | undefined;

void locks?.request(lockOf(tabId), () => new Promise<never>(() => undefined));

/** Whether another tab is open; false if unknown (plain http beyond this computer). */
export async function isTabOpen(tab: string): Promise<boolean> {
  const { held = [] } = (await locks?.query()) ?? {};
  return held.some(({ name }) => name === lockOf(tab));
}
