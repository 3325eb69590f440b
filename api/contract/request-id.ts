/** Form of request ids, both those that a proxy of the operator sends and our own. */
export const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;
