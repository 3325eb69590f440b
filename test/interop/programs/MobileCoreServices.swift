// Stands for a framework of Apple, which clients of openapi-generator import on every system but macOS. Exports what they use
// of it, and the networking that is a separate module outside Apple's systems.
@_exported import Foundation
@_exported import FoundationNetworking

public let kUTTagClassFilenameExtension = "extension"
public let kUTTagClassMIMEType = "type"

public struct UTTag {
  public func takeRetainedValue() -> String { "" }
}

public func UTTypeCreatePreferredIdentifierForTag(_ tagClass: String, _ tag: NSString, _ type: String?) -> UTTag? { nil }
public func UTTypeCopyPreferredTagWithClass(_ identifier: String, _ tagClass: String) -> UTTag? { nil }
