/** How an operator travels in a drag from the palette to the canvas. */
export const OPERATOR_MIME = 'application/x-weft-operator';
