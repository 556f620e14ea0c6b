import { useEffect } from 'react';
import { useAppUi } from './app-context.tsx';
import { useMediaQuery } from './use-media-query.ts';

/** Applies the chosen theme to the page; `system` follows the computer's. */
export function ThemeSync() {
  const theme = useAppUi((ui) => ui.theme);
  const systemIsDark = useMediaQuery('(prefers-color-scheme: dark)');
  const isDark = theme === 'dark' || (theme !== 'light' && systemIsDark);
  useEffect(() => {
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  }, [isDark]);
  return null;
}
