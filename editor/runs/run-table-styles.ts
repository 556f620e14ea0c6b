/** In pixels. */
export const ROW_HEIGHT = 28;

export const cell = 'truncate px-2 py-0 h-7';
