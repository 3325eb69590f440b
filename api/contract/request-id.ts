/** What a proxy of the operator may call a request; the service's own ids have the same form. */
export const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;
