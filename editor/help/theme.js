// Runs before the first picture of a page, so that it does not flash: the theme is that of the editor (`editor/App.tsx`), from what it keeps.
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let theme;
    try {
      ({ theme } = JSON.parse(localStorage.getItem('weft.ui') ?? '{}'));
    } catch {
      // The computer's theme, then.
    }
    const isDark = theme === 'dark' || (theme !== 'light' && dark.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  };
  apply();
  addEventListener('storage', apply);
  dark.addEventListener('change', apply);
})();
