/** The preference of the editor, which both keep at the same place; `theme.js` applies it. */
const KEY = 'weft.ui';
const THEMES = ['light', 'dark', 'system'] as const;
type Theme = (typeof THEMES)[number];

function kept(): Record<string, unknown> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}

export function themeOf(): Theme {
  return THEMES.find((theme) => theme === kept()['theme']) ?? 'system';
}

/** To the next one of the three. */
export function changeTheme(): void {
  const theme = THEMES[(THEMES.indexOf(themeOf()) + 1) % THEMES.length];
  localStorage.setItem(KEY, JSON.stringify({ ...kept(), theme }));
  // The event that pages in other windows get by themselves.
  dispatchEvent(new Event('storage'));
}
