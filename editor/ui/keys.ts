/** Key combinations in the notation of commands: `Mod+Shift+Z`; Mod is Cmd on a Mac and Ctrl elsewhere. */

/** The part of a keyboard event that matters here. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

export const onMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '');

const MODIFIERS = ['Mod', 'Ctrl', 'Alt', 'Shift'];

/** The key itself and its modifiers; `+` as a key is written `Shift++` or `+`. */
function split(keys: string): { key: string; modifiers: string[] } {
  const parts = keys.endsWith('+') ? [...keys.slice(0, -1).split('+').filter(Boolean), '+'] : keys.split('+');
  return {
    key: parts.at(-1) ?? '',
    modifiers: parts.slice(0, -1).filter((part) => MODIFIERS.includes(part)),
  };
}

/** Whether a key press is this combination. A sign that needs Shift on some layouts (`?`, `+`) matches without naming Shift. */
export function matchesKeys(keys: string, press: KeyPress, mac = onMac): boolean {
  const { key, modifiers } = split(keys);
  return nameOf(press).toLowerCase() === key.toLowerCase() && holds(press, modifiers, isSign(key), mac);
}

function nameOf({ key }: KeyPress): string {
  return key === ' ' ? 'Space' : key;
}

function isSign(key: string): boolean {
  return key.length === 1 && !/[\p{L}\d]/u.test(key);
}

function holds(press: KeyPress, modifiers: readonly string[], anyShift: boolean, mac: boolean): boolean {
  const has = (name: string): boolean => modifiers.includes(name);
  const ctrl = has('Ctrl') || (!mac && has('Mod'));
  const meta = mac && has('Mod');
  const shiftFits = anyShift || press.shiftKey === has('Shift');
  return press.ctrlKey === ctrl && press.metaKey === meta && press.altKey === has('Alt') && shiftFits;
}

const MAC_SIGNS: Readonly<Record<string, string>> = {
  Mod: '⌘',
  Ctrl: '⌃',
  Alt: '⌥',
  Shift: '⇧',
  Backspace: '⌫',
  Enter: '↩',
};
const SIGNS: Readonly<Record<string, string>> = {
  Mod: 'Ctrl',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  Delete: 'Del',
};

/** The parts of a combination as labelled on this computer's keys. */
export function keyNames(keys: string, mac = onMac): string[] {
  const { key, modifiers } = split(keys);
  const name = (part: string): string => (mac ? MAC_SIGNS[part] : undefined) ?? SIGNS[part] ?? part;
  return [...modifiers, key.length === 1 ? key.toUpperCase() : key].map(name);
}

/** For assistive technology: `Control+Shift+Z`, the form of `aria-keyshortcuts`. */
export function ariaKeys(keys: readonly string[] | undefined, mac = onMac): string | undefined {
  if (!keys || keys.length === 0) return undefined;
  const mod = mac ? 'Meta' : 'Control';
  return keys.map((combination) => combination.replace('Mod', mod).replace('Ctrl', 'Control')).join(' ');
}
