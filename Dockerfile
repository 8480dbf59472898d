# The service. Build it in this folder, a clone or an unpacked release: docker build -t creative-workspace .
# BASE is a Debian 13. compose.yaml runs the image with PostgreSQL and a proxy.
# With --build-arg PACKAGES=ffmpeg, films have posters.
ARG BASE=docker.io/library/debian:13-slim

FROM ${BASE} AS runtime
ARG PACKAGES=
RUN apt-get update \
  && apt-get install --no-install-recommends --yes ca-certificates nodejs ${PACKAGES} \
  && rm -rf /var/lib/apt/lists/*

FROM runtime AS build
RUN apt-get update && apt-get install --no-install-recommends --yes npm
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY scripts/node-version.js scripts/
RUN npm ci
COPY . .
# A release is compiled already.
RUN if [ -d service ]; then npx tsx scripts/build-service.ts && npm prune --omit=dev; fi

FROM runtime
WORKDIR /opt/creative-workspace
COPY --from=build /build/package.json ./
COPY --from=build /build/scripts/node-version.js /build/scripts/run-service.js scripts/
COPY --from=build /build/deploy deploy
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist-service dist-service
RUN install --directory --owner=10001 --group=10001 --mode=0700 /data
USER 10001:10001
VOLUME /data
EXPOSE 8780
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8780/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# `docker run` adds at least --base-url https://NAME.
ENTRYPOINT ["node", "dist-service/cli.js", "--host", "0.0.0.0", "--port", "8780", "--data", "/data"]
