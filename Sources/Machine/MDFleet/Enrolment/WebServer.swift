/// The configuration of nginx for a centre.
///
/// One table says which host may do what; everything else is refused. nginx writes the spool and reads what is published,
/// and neither keys nor records are within its reach.
package enum WebServer {
    /// The file at the centre.
    package static let path = "\(CentreFolder.path)/nginx.conf"
    /// Where nginx keeps what it receives until it is whole: on the disk of the spool, so that a rename is enough.
    package static let incoming = "\(CentreFolder.path)/incoming"
    /// The users that run nginx, by distribution.
    package static let users = ["www-data", "nginx", "http"]
    /// How long a host waits for news, in seconds: then it asks again.
    private static let wait = 55

    /// The port behind a centre's own, for loopback only.
    package static func wakePort(_ address: CentreAddress) -> Int { address.port == 65_535 ? 65_534 : address.port + 1 }

    /// Whether a path can stand in a configuration of nginx.
    package static func canName(_ path: String) -> Bool {
        path.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte | 0x20) || (0x2d...0x39).contains(byte) || [0x5f, 0x2b, 0x40].contains(byte)
        }
    }

    /// The content of the file.
    ///
    /// - Parameters:
    ///   - address: the address of the centre.
    ///   - folder: the path of a folder of the centre, as nginx sees it.
    /// - Returns: the text.
    package static func configuration(_ address: CentreAddress, _ folder: (String) -> String) -> String {
        func put(_ kind: SpoolName.Kind) -> String {
            """
                location ~ ^/in/[^/~]+~\(pattern(kind))\\z {
                    dav_methods PUT;
                    dav_access user:rw group:r;
                    client_max_body_size \(kind.limit);
                }
            """
        }
        let kinds = SpoolName.Kind.allCases.map(pattern).joined(separator: "|")
        return """
            # The web server of a fleet's centre: one client certificate a host, whose name is the host's. Made by
            # mdefaults fleet init; include it in the http block of nginx, with the module nchan:
            #   ln -s \(folder(path)) /etc/nginx/conf.d/managed-defaults-fleet.conf

            map $ssl_client_s_dn $fleet_host {
                "~^CN=(?<fleet_name>[a-z0-9](?:[a-z0-9.-]{0,\(FleetHost.longest - 2)}[a-z0-9])?)\\z" $fleet_name;
            }
            # Who may do what. A name is decoded before it is compared.
            map "$fleet_host $request_method $uri" $fleet_may {
                default 0;
                "~^(?<fleet_own>[^ ]+) PUT /in/\\k<fleet_own>~(?:\(kinds))\\z" 1;
                "~^(?<fleet_own>[^ ]+) GET /ack/\\k<fleet_own>\\z" 1;
                "~^[^ ]+ GET /pub/(?:snapshot|root|files/[0-9a-f]{64})\\z" 1;
                "~^[^ ]+ GET /wait\\z" 1;
            }
            limit_conn_zone $fleet_host zone=fleet_connections:4m;
            limit_req_zone $fleet_host zone=fleet_requests:4m rate=20r/s;

            server {
                listen \(address.port) ssl;
                # Where the machine has IPv6: listen [::]:\(address.port) ssl;
                server_name \(address.host.utf8.contains(UInt8(ascii: ":")) ? "_" : address.host);
                root \(folder(CentreFolder.path));

                ssl_certificate \(folder(CertificateAuthority.serverPath));
                ssl_certificate_key \(folder(CertificateAuthority.serverKeyPath));
                ssl_client_certificate \(folder(CertificateAuthority.certificatePath));
                ssl_crl \(folder(CertificateAuthority.revokedPath));
                ssl_verify_client on;
                ssl_verify_depth 1;
                ssl_protocols TLSv1.2 TLSv1.3;
                # A session that is resumed is not compared with the list of what is revoked.
                ssl_session_cache off;
                ssl_session_tickets off;

                if ($fleet_may = 0) { return 403; }
                limit_conn fleet_connections 8;
                limit_req zone=fleet_requests burst=200 nodelay;
                limit_conn_status 429;
                limit_req_status 429;

                client_body_temp_path \(folder(incoming));
                client_max_body_size 1;
                client_body_timeout 60s;
                default_type application/octet-stream;
                access_log off;

            \(SpoolName.Kind.allCases.map(put).joined(separator: "\n"))
                location /pub/ { }
                location /ack/ { }
                location = /wait {
                    nchan_subscriber longpoll;
                    nchan_channel_id managed-defaults-fleet;
                    nchan_subscriber_first_message newest;
                    nchan_subscriber_timeout \(wait)s;
                }
                location / { return 403; }
            }

            # Who publishes wakes the hosts that wait; from this machine only.
            server {
                listen 127.0.0.1:\(wakePort(address));
                access_log off;
                location = /wake {
                    nchan_publisher http;
                    nchan_channel_id managed-defaults-fleet;
                    nchan_message_buffer_length 1;
                    nchan_message_timeout 60s;
                    client_max_body_size 64;
                }
                location / { return 403; }
            }

            """
    }

    /// The name of a kind in a regular expression.
    private static func pattern(_ kind: SpoolName.Kind) -> String {
        kind.rawValue.split(separator: ".").joined(separator: "\\.")
    }
}
