# The container image, built from the packed program:
#   npm pack && docker build --tag taktgeber .
# Debian's glibc, because the binaries of DuckDB, libsql and Valhalla are built for it.
FROM node:24-bookworm-slim AS packages
WORKDIR /opt/taktgeber
COPY taktgeber-*.tgz taktgeber.tgz
# `npm ci` installs exactly the versions and hashes of npm-shrinkwrap.json, which `npm install` of a tarball ignores.
RUN tar --extract --file taktgeber.tgz --strip-components=1 && rm taktgeber.tgz \
    && npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
COPY --from=packages /opt/taktgeber /opt/taktgeber
# The only place that is written: a volume, owned by the user of the program.
RUN mkdir /data && chown 1000:1000 /data
ENV NODE_ENV=production \
    TAKTGEBER_DATA=/data \
    TAKTGEBER_HOST=0.0.0.0
# By number, so that an orchestrator sees that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8080
# The same for every role: whether the process answers.
HEALTHCHECK --interval=30s --timeout=5s --start-period=1m --retries=3 \
    CMD ["node", "/opt/taktgeber/deploy/health-check.mjs"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/opt/taktgeber/jobs/bin.mjs"]
CMD ["up"]
