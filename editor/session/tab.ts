/** This tab's name, and which others are open: a tab holds a lock for as long as it lives. */
export const tabId = Math.random().toString(36).slice(2);

const lockOf = (tab: string): string => `weft.tab.${tab}`;
const locks = globalThis.navigator?.locks as LockManager | undefined;

void locks?.request(lockOf(tabId), () => new Promise<never>(() => undefined));

/** Whether another tab is open; unknown (plain http beyond this computer) counts as not. */
export async function isTabOpen(tab: string): Promise<boolean> {
  const { held = [] } = (await locks?.query()) ?? {};
  return held.some(({ name }) => name === lockOf(tab));
}
