import type { ComponentType } from 'react';
import { afterFirstPicture } from './first-picture.ts';
import type { MenuPopupProps } from './MenuPopup.tsx';
import { toast } from './toast.ts';

let Popup: ComponentType<MenuPopupProps> | undefined;

/**
 * The list of a menu. Lists are 20 KB that no screen needs before a menu is opened: they are loaded after the first frame, or
 * when a button is hovered. Undefined, and said, if that fails.
 */
export async function loadMenu(): Promise<ComponentType<MenuPopupProps> | undefined> {
  try {
    Popup ??= (await import('./MenuPopup.tsx')).MenuPopup;
    return Popup;
  } catch {
    toast('The menu could not be loaded. Check the connection and try again.', { kind: 'error' });
    return undefined;
  }
}

export const loadedMenu = (): ComponentType<MenuPopupProps> | undefined => Popup;

export function preloadMenu(): void {
  if (!Popup) import('./MenuPopup.tsx').then((code) => (Popup = code.MenuPopup)).catch(() => undefined);
}

void afterFirstPicture().then(preloadMenu);
